/** Whether an error of SQLite or of the file system says that a disk, or the quota of its user, is full. */
export const saysDiskFull = (message: string): boolean => /disk is full|ENOSPC|EDQUOT/u.test(message)
