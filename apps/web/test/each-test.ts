import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Person, serve, signedIn, startTestWeb, type TestServer, type TestWeb } from './support.ts';

interface Given {
  readonly web: TestWeb;
  readonly server: TestServer;
  readonly guild: SeededGuild;
  readonly owner: Person;
}

/** The web process for a file, also on a port, and for each of its tests a guild of its own, whose owner is signed in. */
export function guildForEachTest(use: (given: Given) => void): void {
  let web: TestWeb;
  let server: TestServer;
  beforeAll(async () => {
    web = await startTestWeb();
    server = await serve(web);
  });
  afterAll(async () => {
    server.close();
    await web.close();
  });
  beforeEach(async () => {
    const guild = await seedGuild(web.db);
    use({ web, server, guild, owner: await signedIn(web, guild.ownerId) });
  });
}
