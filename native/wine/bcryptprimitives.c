/* Every Windows since 7 has this DLL, Wine 8 has not: Rust's library, and so tokenizers, asks it for random bytes. */

#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG size);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T size) {
	return SystemFunction036(buffer, (ULONG)size);
}
