export { BackupError, type BackupHeader } from './file.ts';
export { checkBackup, type Restored, restoreBackup } from './restore.ts';
export { type Taken, takeBackup } from './take.ts';
