import { type SeededGuild, seedGuild } from '@bailiff/engine/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Person, signedIn, startTestWeb, type TestWeb } from './support.ts';

interface Given {
  readonly web: TestWeb;
  readonly guild: SeededGuild;
  readonly owner: Person;
}

/** The web process for a file, and for each of its tests a guild of its own, whose owner is signed in. */
export function guildForEachTest(use: (given: Given) => void): void {
  let web: TestWeb;
  beforeAll(async () => {
    web = await startTestWeb();
  });
  afterAll(() => web.close());
  beforeEach(async () => {
    const guild = await seedGuild(web.db);
    use({ web, guild, owner: await signedIn(web, guild.ownerId) });
  });
}
