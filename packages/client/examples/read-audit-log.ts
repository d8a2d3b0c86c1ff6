import { BailiffClient } from '@bailiff/client';

const { BAILIFF_URL = 'http://localhost:3000', BAILIFF_TOKEN = '' } = process.env;
const bailiff = new BailiffClient({ url: BAILIFF_URL, token: BAILIFF_TOKEN });

for await (const row of bailiff.list('audit.list', { action: 'bans.add', actor_source: 'token' })) {
  console.log(`${row.at} ${row.token_name} ${row.target_id} ${row.outcome}`);
}
