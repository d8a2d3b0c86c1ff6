import { createInterface } from 'node:readline/promises';
import { BailiffClient, BailiffError } from '@bailiff/client';

const { BAILIFF_URL = 'http://localhost:3000', BAILIFF_TOKEN = '' } = process.env;
const bailiff = new BailiffClient({ url: BAILIFF_URL, token: BAILIFF_TOKEN });
const terminal = createInterface({ input: process.stdin });

const { guild } = await bailiff.call('me');
const [, , user_id = ''] = process.argv;
const ban = () =>
  bailiff.call('bans.add', {
    user_id,
    reason: 'Griefing in the market square',
    _confirmation: `BAN USER ${user_id} IN GUILD ${guild.id} PERMANENT`,
  });

try {
  await ban();
} catch (error) {
  if (!(error instanceof BailiffError && error.is('RE_AUTH_REQUIRED'))) throw error;
  console.log(`The guild's owner must approve this ban on ${error.details?.reauth_url}`);
  console.log('Press Enter when it is approved.');
  await terminal.question('');
  await ban();
}
console.log(`${user_id} is banned.`);
terminal.close();
