import { readFile } from 'node:fs/promises';
import { BailiffClient } from '@bailiff/client';

const { BAILIFF_URL = 'http://localhost:3000', BAILIFF_TOKEN = '' } = process.env;
const bailiff = new BailiffClient({ url: BAILIFF_URL, token: BAILIFF_TOKEN });

const { guild } = await bailiff.call('me');
const [, , file = ''] = process.argv;
const people = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
const strikes = people.map((user_id) => ({
  user_id,
  severity: 'minor' as const,
  reason: 'Did not show up',
  _confirmation: `ADD STRIKE TO USER ${user_id} IN GUILD ${guild.id} SEVERITY MINOR`,
}));

for await (const result of bailiff.each('strikes.add', strikes, {
  keyOf: ({ user_id }) => `no-show-2026-01-${user_id}`,
  approval: { onAsked: ({ reauth_url }) => console.log(`Waiting for the owner: ${reauth_url}`) },
})) {
  const { user_id } = result.input;
  console.log(
    result.ok ? `${user_id}: strike ${result.body.strike_id}` : `${user_id}: ${result.error.message}`,
  );
}
