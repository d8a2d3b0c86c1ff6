import { appealFile } from '@bailiff/engine/appeals/appeal-list';
import type { GuildView } from '@bailiff/engine/guilds/guilds';
import { Badge } from '#components/ui/badge.tsx';
import { Link } from '#components/ui/link.tsx';
import { Fact } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { runtime } from '#src/runtime.ts';
import { STATE_TONES, shownState } from './appeal-labels.ts';

interface Props {
  guild: GuildView;
  /** Who reads. */
  userId: string;
  number: number;
}

/** The appeal against a case, as one of the case's facts; nothing if there is none, or the reader may not know it. */
export async function AppealOfCase({ guild, userId, number }: Props) {
  if (!guild.capabilities.includes('appeals.read')) return null;
  const appeal = await appealFile(runtime().db, { ...guild, userId }, number);
  if (appeal === null) return null;
  const t = await messagesFor('appeals');
  const state = shownState(appeal);
  return (
    <Fact name={t('appeal')}>
      <Link href={`/guilds/${guild.id}/appeals/${number}`} className="text-accent mr-2 underline">
        {t('read')}
      </Link>
      <Badge tone={STATE_TONES[state]}>{t(state)}</Badge>
    </Fact>
  );
}
