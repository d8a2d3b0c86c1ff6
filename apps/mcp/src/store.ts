import { randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isSecret, Snowflake } from '@bailiff/core';
import { z } from 'zod';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

const Login = z.object({
  url: z.string(),
  secret: z.string().refine(isSecret),
  token_id: z.string(),
  guild_id: Snowflake,
});

/** A login: a token and the instance that issued it. */
export type Login = z.output<typeof Login>;

/** The content of the store. */
export type Stored =
  | { readonly kind: 'login'; readonly login: Login }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** The file in the user's configuration folder that holds the token: 0600 in a folder of 0700. */
export class Store {
  readonly folder: string;
  readonly path: string;

  constructor(folder: string) {
    this.folder = folder;
    this.path = join(folder, 'mcp.json');
  }

  async read(): Promise<Stored> {
    try {
      return { kind: 'login', login: Login.parse(JSON.parse(await readFile(this.path, 'utf8'))) };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return { kind: 'none' };
      return { kind: 'unreadable', why: code ?? 'it does not hold what was written there' };
    }
  }

  /** Makes the folder and a file in it, so that it fails where {@link write} would. */
  async tryOut(): Promise<void> {
    const { next, file } = await this.#openNext();
    await file.close();
    await rm(next);
  }

  /** Writes a temporary file and renames it, so that no reader sees half of the file. */
  async write(login: Login): Promise<void> {
    const { next, file } = await this.#openNext();
    try {
      try {
        await file.writeFile(`${JSON.stringify(login, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(next, this.path);
    } catch (error) {
      await rm(next, { force: true });
      throw error;
    }
  }

  async #openNext() {
    await mkdir(this.folder, { recursive: true, mode: FOLDER_MODE });
    await chmod(this.folder, FOLDER_MODE);
    const next = `${this.path}.${randomBytes(6).toString('hex')}`;
    return { next, file: await open(next, 'wx', FILE_MODE) };
  }

  /** @returns whether a login was stored */
  async remove(): Promise<boolean> {
    const isThere = (await this.read()).kind !== 'none';
    await rm(this.path, { force: true });
    return isThere;
  }

  /**
   * Whether other users of the computer can read the token; null if there is no file, or the system has no file modes.
   */
  async isOpenToOthers(): Promise<boolean | null> {
    if (process.platform === 'win32') return null;
    const found = await stat(this.path).catch(() => null);
    return found === null ? null : (found.mode & 0o077) !== 0;
  }
}
