import { readArguments } from './arguments.ts';
import type { CommandContext } from './commands/context.ts';
import { doctor } from './commands/doctor.ts';
import { login } from './commands/login.ts';
import { logout } from './commands/logout.ts';
import { serve } from './commands/serve.ts';
import { status } from './commands/status.ts';
import { HELP } from './help.ts';
import { configurationFolder } from './paths.ts';
import { Store } from './store.ts';
import { endWithReader, TERMINAL } from './terminal.ts';
import { COMMAND, VERSION } from './version.ts';

async function run(args: readonly string[]): Promise<number> {
  const { env } = process;
  const context: CommandContext = { env, store: new Store(configurationFolder(env)), terminal: TERMINAL };
  const asked = readArguments(args);
  switch (asked.command) {
    case 'serve':
      return serve(context, asked.offer);
    case 'login':
      return login(context, asked.options);
    case 'status':
      return status(context);
    case 'logout':
      return logout(context, asked.revoke);
    case 'doctor':
      return doctor(context);
    case 'help':
      TERMINAL.print(HELP);
      return 0;
    case 'version':
      TERMINAL.print(VERSION);
      return 0;
    case 'wrong':
      TERMINAL.say(`${asked.problem} ${COMMAND} --help shows what there is.`);
      return 2;
  }
}

endWithReader();
process.exitCode = await run(process.argv.slice(2));
