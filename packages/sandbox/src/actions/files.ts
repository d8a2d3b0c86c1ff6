import { createHmac, randomBytes } from 'node:crypto';
import type { Attachment, StoredFile } from '#src/model.ts';
import type { World } from '#src/world.ts';

const SECRET = randomBytes(32);
/** How long the link of a file works. */
const LINK_SECONDS = 86_400;

/** Keeps a file below `folder`, and returns it as Discord tells of it: with a link that is signed and expires. */
export function storeFile(world: World, folder: string, file: StoredFile): Attachment {
  const id = world.ids.next();
  const path = `${folder}/${id}/${encodeURIComponent(file.filename)}`;
  world.files.set(path, file);
  const issued = Math.floor(Date.now() / 1000);
  const times = { ex: (issued + LINK_SECONDS).toString(16), is: issued.toString(16) };
  const url = `${world.url}${path}?${new URLSearchParams({ ...times, hm: signatureOf(path, times) })}`;
  return {
    id,
    filename: file.filename,
    size: file.bytes.byteLength,
    url,
    proxy_url: url,
    content_type: file.contentType,
  };
}

/** The file that a link names; undefined if there is none, if the link was not signed, or if it has expired. */
export function fileOf(world: World, { pathname, searchParams }: URL): StoredFile | undefined {
  const [ex = '', is = '', hm = ''] = ['ex', 'is', 'hm'].map((name) => searchParams.get(name) ?? '');
  if (hm !== signatureOf(pathname, { ex, is }) || Number.parseInt(ex, 16) * 1000 <= Date.now())
    return undefined;
  return world.files.get(pathname);
}

function signatureOf(path: string, { ex, is }: { ex: string; is: string }): string {
  return createHmac('sha256', SECRET).update(`${path} ${ex} ${is}`).digest('hex');
}
