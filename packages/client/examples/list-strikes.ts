import { BailiffClient } from '@bailiff/client';

const { BAILIFF_URL = 'http://localhost:3000', BAILIFF_TOKEN = '' } = process.env;
const bailiff = new BailiffClient({ url: BAILIFF_URL, token: BAILIFF_TOKEN });

const { data } = await bailiff.call('strikes.list', { active: true, limit: 10 });
for (const { case_number, user_id, severity, reason } of data) {
  console.log(`#${case_number} ${severity} strike for ${user_id}: ${reason}`);
}
