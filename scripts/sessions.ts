// `npm run sessions -- list | end`: the operator lists or ends sessions of the dashboard.
import { endSessions, type SessionView, sessionsOf } from '@bailiff/engine/desk/sessions';
import { EX_USAGE, fail, onDatabase } from './operator.ts';

const USAGE = `Usage: npm run sessions -- list [user id]
       npm run sessions -- end <session id>
       npm run sessions -- end --user <user id> all`;

type Command =
  | { readonly verb: 'list'; readonly userId: string | null }
  | { readonly verb: 'end'; readonly which: { id: string } | { userId: string } };

function commandOf([verb, ...rest]: readonly string[]): Command | null {
  const [first = '', second = '', third] = rest;
  if (verb === 'list' && rest.length === 0) return { verb, userId: null };
  if (verb === 'list' && rest.length === 1 && isUserId(first)) return { verb, userId: first };
  if (verb !== 'end') return null;
  if (rest.length === 1 && /^ses_[0-9a-f]{32}$/.test(first)) return { verb, which: { id: first } };
  const isWholeUser = rest.length === 3 && first === '--user' && isUserId(second) && third === 'all';
  return isWholeUser ? { verb, which: { userId: second } } : null;
}

const isUserId = (text: string) => /^\d{17,20}$/.test(text);

const command = commandOf(process.argv.slice(2));
if (command === null) fail(USAGE, EX_USAGE);
else if (command.verb === 'list') {
  await onDatabase('bailiff-sessions', 'The sessions could not be listed', async (db) => {
    for await (const session of sessionsOf(db, command.userId)) process.stdout.write(lineOf(session));
  });
} else {
  await onDatabase('bailiff-sessions', 'Nothing was ended', async (db) => {
    const ended = await endSessions(db, command.which);
    if (ended === 0) fail('There is no such session. npm run sessions -- list shows those there are.', 1);
    else process.stdout.write(`Sessions ended: ${ended}.\n`);
  });
}

/** What a browser says of itself is printed as JSON, so that it can only be text. */
function lineOf({ id, userId, signedInAt, seenAt, address, browser }: SessionView): string {
  const time = (date: Date) => `${date.toISOString().slice(0, 16)}Z`;
  const parts = [id, `user ${userId}`, `signed in ${time(signedInAt)}`, `used ${time(seenAt)}`];
  return `${[...parts, `from ${address || 'unknown'}`, JSON.stringify(browser)].join('  ')}\n`;
}
