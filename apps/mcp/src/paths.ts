import { homedir } from 'node:os';
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The user's configuration folder for Bailiff, by the platform's conventions. */
export function configurationFolder(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env.APPDATA || join(homedir(), 'AppData', 'Roaming'), 'Bailiff');
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'bailiff');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Bailiff');
  return join(homedir(), '.config', 'bailiff');
}
