// The file of a backup, apart from what is in it.
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { framed, LineReader, lineOf, writeBackupFile } from '#src/backup/file.ts';

test('a backup that breaks off leaves no part of it behind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-backup-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  async function* content() {
    yield lineOf({ table: 'guilds', columns: ['id'] });
    throw new Error('The server is gone.');
  }
  const writing = writeBackupFile(join(directory, 'some.backup'), content(), () => 0);
  await expect(writing).rejects.toThrow('The server is gone.');
  expect(await readdir(directory)).toEqual([]);
});

test('of two backups into one file at the same time one is whole, and the other says that it is none', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bailiff-backup-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const path = join(directory, 'some.backup');
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* slow() {
    yield lineOf({ table: 'slow', columns: ['id'] });
    begun.resolve();
    await goOn.promise;
    yield lineOf({ rows: 0 });
  }
  const first = writeBackupFile(path, slow(), () => 0);
  await begun.promise;
  await writeBackupFile(path, Readable.from([lineOf({ table: 'quick', columns: ['id'] })]), () => 0);
  goOn.resolve();
  await expect(first).rejects.toThrow(/some\.backup.*name another file/);
  const lines = gunzipSync(await readFile(path))
    .toString()
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { table: 'quick', columns: ['id'] },
    { end: true, rows: 0, sha256: expect.any(String) },
  ]);
  expect(await readdir(directory)).toEqual(['some.backup']);
});

const ROWS = ['', '1\ta line\\nand \\\\.\n', '\\\\.\n', '\\N\t\n2\t\\\\\n', '\n', '\\N\n', '.\n\n\n'];

/** What a backup has of tables with these rows. */
async function textOf(tables: string[]): Promise<Buffer> {
  const written: Buffer[] = [];
  for (const rows of tables) {
    const content = Object.assign(Readable.from(rows === '' ? [] : [Buffer.from(rows)]), { rows: 1 });
    written.push(...(await all(framed({ table: 'notes', columns: [] }, content))));
  }
  return Buffer.concat(written);
}

async function all(pieces: AsyncIterable<Buffer>): Promise<Buffer[]> {
  const found: Buffer[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

async function* given(chunks: Buffer[]) {
  yield* chunks;
}

async function rowsOf(reader: LineReader): Promise<Buffer[]> {
  await reader.object();
  const pieces = await all(reader.rows());
  expect(await reader.object()).toEqual({ rows: 1 });
  return pieces;
}

test('rows are found wherever the chunks of the file end', async () => {
  const text = await textOf(ROWS);
  const cuts = Array.from(text, (_, at) => [text.subarray(0, at), text.subarray(at)]);
  for (const chunks of [...cuts, Array.from(text, (byte) => Buffer.from([byte]))]) {
    const reader = new LineReader('some.backup', given(chunks));
    const found: string[] = [];
    for (const _ of ROWS) found.push(Buffer.concat(await rowsOf(reader)).toString());
    expect(found).toEqual(ROWS);
    await reader.expectEnd();
    expect(reader.sha256()).toBe(createHash('sha256').update(text).digest('hex'));
  }
});

test('rows without their end are refused wherever they end', async () => {
  const text = await textOf(['1\n']);
  const end = text.lastIndexOf('{');
  for (let at = text.indexOf('1'); at < end; at++) {
    const reader = new LineReader('some.backup', given([text.subarray(0, at)]));
    await reader.object();
    await expect(all(reader.rows())).rejects.toThrow('its end is missing');
  }
});

test('a large row comes in pieces, and nothing of it is read again with each chunk', async () => {
  const CHUNK_BYTES = 16 * 1024;
  const row = `${'ab'.repeat(1024 * 1024)}\n`;
  const text = await textOf([row]);
  const chunks = Array.from({ length: Math.ceil(text.length / CHUNK_BYTES) }, (_, n) =>
    text.subarray(n * CHUNK_BYTES, (n + 1) * CHUNK_BYTES),
  );
  const pieces = await rowsOf(new LineReader('some.backup', given(chunks)));
  expect(Buffer.concat(pieces).toString() === row).toBe(true);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(2 * CHUNK_BYTES);
});
