package filelock

import (
	"errors"
	"os"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION: another handle does not share the file.
const errSharing = syscall.Errno(32)

// Take creates a file and opens it without sharing it for writing, or returns [ErrHeld]. The system closes it when
// the process ends, however it ends; the programs that the process starts do not inherit it.
func Take(path string) (*os.File, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, syscall.FILE_SHARE_READ, nil,
		syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return os.NewFile(uintptr(handle), path), nil
	case errors.Is(err, errSharing), errors.Is(err, syscall.ERROR_ACCESS_DENIED): // denied: it is being removed
		return nil, ErrHeld
	}
	return nil, &os.PathError{Op: "open", Path: path, Err: err}
}

// Free removes the file unless another process has opened it meanwhile, which then keeps it.
func Free(file *os.File, path string) {
	_ = file.Close()
	_ = os.Remove(path)
}
