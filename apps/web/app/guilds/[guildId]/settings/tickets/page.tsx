import {
  DEFAULT_CLOSE_HOURS,
  MOST_CATEGORY_CHARACTERS,
  MOST_CLOSE_HOURS,
  MOST_OPEN_TICKETS,
  MOST_QUESTION_CHARACTERS,
  MOST_TICKET_CATEGORIES,
  MOST_TICKET_QUESTIONS,
  MOST_TICKET_ROLES,
} from '@bailiff/core';
import { listGrants } from '@bailiff/engine/guilds/guilds';
import { ticketSettings } from '@bailiff/engine/tickets/ticket-settings';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { TicketSettingsForm } from '#components/settings/ticket-settings-form.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => sectionTitle('tickets');

const LIMITS = {
  categories: MOST_TICKET_CATEGORIES,
  name: MOST_CATEGORY_CHARACTERS,
  text: MOST_QUESTION_CHARACTERS,
  questions: MOST_TICKET_QUESTIONS,
  roles: MOST_TICKET_ROLES,
  closeHours: MOST_CLOSE_HOURS,
  usualCloseHours: DEFAULT_CLOSE_HOURS,
  open: MOST_OPEN_TICKETS,
};

export default kept(TicketSettingsPage);

async function TicketSettingsPage({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const { db } = runtime();
  const [t, settings, grants] = await Promise.all([
    messagesFor('settings'),
    ticketSettings(db.pool, guild.id),
    listGrants(db, guild.id),
  ]);
  const roles = grants.filter(
    ({ roleId, capabilities }) =>
      roleId !== guild.id &&
      (capabilities.includes('tickets.read') || capabilities.includes('tickets.write')),
  );
  return (
    <Section
      title={t('tickets.title')}
      lead={
        <>
          {t('tickets.lead')} <GuideLink topic="tickets" />
        </>
      }
    >
      <Panel>
        <TicketSettingsForm
          guildId={guild.id}
          settings={settings}
          roles={roles.map(({ roleId, name }) => ({ id: roleId, name }))}
          limits={LIMITS}
        />
      </Panel>
    </Section>
  );
}
