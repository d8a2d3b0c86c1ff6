// `npm run sessions -- list | end`: the operator lists or ends sessions of the dashboard.
import { endSessions, type SessionView, sessionsOf } from '@bailiff/engine/desk/sessions';
import { EX_USAGE, fail, onDatabase, readListOrEnd, say } from './operator.ts';

const USAGE = `Usage: npm run sessions -- list [user id]
       npm run sessions -- end <session id>
       npm run sessions -- end --user <user id> all`;

const command = readListOrEnd(process.argv.slice(2), {
  end: 'end',
  owner: 'user',
  id: /^ses_[0-9a-f]{32}$/,
});
if (command === null) fail(USAGE, EX_USAGE);
else if (command.verb === 'list') {
  await onDatabase('bailiff-sessions', 'The sessions could not be listed', async (db) => {
    for await (const session of sessionsOf(db, command.ownerId)) say(lineOf(session));
  });
} else {
  await onDatabase('bailiff-sessions', 'Nothing was ended', async (db) => {
    const ended = await endSessions(
      db,
      'id' in command.which ? command.which : { userId: command.which.ownerId },
    );
    if (ended === 0) fail('There is no such session. npm run sessions -- list shows those there are.', 1);
    else say(`Sessions ended: ${ended}.`);
  });
}

/** What a browser says of itself is printed as JSON, so that it can only be text. */
function lineOf({ id, userId, signedInAt, seenAt, address, browser }: SessionView): string {
  const time = (date: Date) => `${date.toISOString().slice(0, 16)}Z`;
  const parts = [id, `user ${userId}`, `signed in ${time(signedInAt)}`, `used ${time(seenAt)}`];
  return [...parts, `from ${address || 'unknown'}`, JSON.stringify(browser)].join('  ');
}
