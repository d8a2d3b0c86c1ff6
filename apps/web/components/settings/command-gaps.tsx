import type { ShownCommands } from '@bailiff/core';
import { Callout } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';

interface RoleCommands {
  readonly id: string;
  readonly name: string;
  readonly commands: ShownCommands;
}

/** What the owner sets in Discord so that each role sees the commands that it was granted. Nothing if all is well. */
export async function CommandGaps({ roles }: { roles: readonly RoleCommands[] }) {
  const t = await messagesFor('settings');
  const lines = roles.flatMap(({ id, name, commands: { missing, needless } }) => [
    ...(missing.length === 0
      ? []
      : [{ id: `${id}+`, text: t('commands.show', { role: name, commands: typed(missing) }) }]),
    ...(needless.length === 0
      ? []
      : [{ id: `${id}-`, text: t('commands.hide', { role: name, commands: typed(needless) }) }]),
  ]);
  if (lines.length === 0) return null;
  return (
    <div className="mt-3">
      <Callout tone="info" title={t('commands.title')}>
        <p>{t('commands.lead')}</p>
        <ul className="mt-1 list-disc pl-5">
          {lines.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      </Callout>
    </div>
  );
}

function typed(commands: readonly string[]): string {
  return commands.map((command) => `/${command}`).join(', ');
}
