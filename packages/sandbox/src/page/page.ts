import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Control } from '../control/control.ts';
import type { World } from '../world.ts';

export interface PageParts {
  readonly world: World;
  readonly control: Control;
}

export async function servePage({ world }: PageParts, _request: IncomingMessage, response: ServerResponse, url: URL): Promise<boolean> {
  const file = world.files.get(url.pathname);
  if (!file) return false;
  response.writeHead(200, { 'Content-Type': file.contentType }).end(file.bytes);
  return true;
}
