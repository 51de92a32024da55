package sqlite

import "golang.org/x/sys/unix"

// networks are file systems that are shared between machines, by the magic number of statfs(2).
var networks = map[uint32]string{
	unix.NFS_SUPER_MAGIC:  "NFS",
	unix.SMB_SUPER_MAGIC:  "SMB",
	unix.CIFS_SUPER_MAGIC: "SMB",
	unix.SMB2_SUPER_MAGIC: "SMB",
	unix.AFS_SUPER_MAGIC:  "AFS",
	unix.CEPH_SUPER_MAGIC: "CephFS",
	0x0bd00bd0:            "Lustre",
	0x47504653:            "GPFS",
	0x19830326:            "BeeGFS",
}

// networkOf names the network file system that a folder is on; "" if it is on none. Tests replace it.
var networkOf = func(folder string) string {
	var s unix.Statfs_t
	if unix.Statfs(folder, &s) != nil {
		return ""
	}
	return networks[uint32(s.Type)]
}
