// Holds the files it is told open, shared with nobody, for some seconds:
// hold.exe SECONDS FILE...
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

int wmain(int argc, wchar_t **argv) {
	for (int i = 2; i < argc; i++) {
		HANDLE file = CreateFileW(argv[i], GENERIC_READ, 0, NULL, OPEN_EXISTING, 0, NULL);
		printf("@%s %lu\n", file != INVALID_HANDLE_VALUE ? "held" : "refused", GetLastError());
	}
	fflush(stdout);
	Sleep(1000 * wcstoul(argv[1], NULL, 10));
	return 0;
}

int main(void) {
	int argc = 0;
	LPWSTR *argv = CommandLineToArgvW(GetCommandLineW(), &argc);
	return wmain(argc, argv);
}
