import Link from 'next/link';
import { Callout } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';

/** Says that a filter wants a person's id, and where people are found by name. Nothing without such a text. */
export async function NotAnId({ guildId, text }: { guildId: string; text: string | undefined }) {
  if (text === undefined) return null;
  const t = await messagesFor('members');
  return (
    <div className="mb-3">
      <Callout tone="warn" title={t('notAnId', { text })}>
        {t.rich('findByName', {
          members: (label) => (
            <Link
              href={`/guilds/${guildId}/members?${new URLSearchParams({ q: text })}`}
              prefetch={false}
              className="text-accent underline"
            >
              {label}
            </Link>
          ),
        })}
      </Callout>
    </div>
  );
}
