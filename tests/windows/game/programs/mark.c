// Writes a file when it is loaded: the one that the variable MARKER_FILE names.
#include <windows.h>

BOOL WINAPI DllMain(HINSTANCE module, DWORD reason, LPVOID reserved) {
	(void)module;
	(void)reserved;
	char name[1024];
	if (reason == DLL_PROCESS_ATTACH && GetEnvironmentVariableA("MARKER_FILE", name, sizeof(name)) > 0) {
		CloseHandle(CreateFileA(name, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL));
	}
	return TRUE;
}
