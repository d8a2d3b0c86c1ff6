import { DEFAULT_URL } from './account.ts';
import { COMMAND } from './version.ts';

export const HELP = `Bailiff for assistants: moderates one Discord guild over MCP, with a token of its owner.

${COMMAND} [command] [options]

  login      gets a token: shows a code, which the guild's owner enters in the dashboard
               --url <address>  of the instance; ${DEFAULT_URL} if you say nothing
               --no-browser     do not open the page
               --headless       go on where there is no terminal
  serve      speaks MCP on stdin and stdout; the default, for a client to start
               --read-only      only tools that change nothing
               --tools <a,b>    only these tools, and those that their errors name
  status     who the token is, its guild, what it may do, its expiry and window
  logout     forgets the token, and asks whether to revoke it
               --revoke         revoke it without asking
               --keep           do not revoke it
  doctor     looks at the address, the clock, the token and the version

BAILIFF_URL and BAILIFF_TOKEN override what login stored. BAILIFF_ALLOW_HTTP=1 allows an unencrypted address.`;
