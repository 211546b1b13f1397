//go:build !linux

package tree

import (
	"io/fs"
	"os"
)

// A disk is not available on this system: every folder is read through its file system.
type disk int

const noDisk disk = -1

func rootDisk(*os.Root) disk { return noDisk }

func (disk) sub(string) (disk, error)    { return noDisk, fs.ErrInvalid }
func (disk) close()                      {}
func (disk) stamp(string) (stamp, error) { return stamp{}, fs.ErrInvalid }
func (disk) list() ([]dirent, error)     { return nil, fs.ErrInvalid }
func (disk) read(string, []byte, int64) ([]byte, stamp, error) {
	return nil, stamp{}, fs.ErrInvalid
}
