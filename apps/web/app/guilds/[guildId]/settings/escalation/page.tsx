import { MOST_ESCALATION_STEPS } from '@bailiff/core';
import { escalationPolicy, escalationWire } from '@bailiff/engine/cases/escalation';
import { GuideLink } from '#components/documents/guide-link.tsx';
import { kept } from '#components/kept.tsx';
import { EscalationForm } from '#components/settings/escalation-form.tsx';
import { OwnerElsewhere } from '#components/settings/owner-elsewhere.tsx';
import { Panel, Section } from '#components/ui/panel.tsx';
import { messagesFor } from '#src/messages.ts';
import { sectionTitle } from '#src/page-title.ts';
import { requireGuild } from '#src/pages.ts';
import { runtime } from '#src/runtime.ts';

export const generateMetadata = () => sectionTitle('escalation');

export default kept(EscalationSettings);

async function EscalationSettings({ params }: { params: Promise<{ guildId: string }> }) {
  const { guild } = await requireGuild(params);
  if (!guild.isOwner) return <OwnerElsewhere />;
  const [t, policy] = await Promise.all([messagesFor('settings'), escalationPolicy(runtime().db, guild.id)]);
  return (
    <Section
      title={t('escalation.title')}
      lead={
        <>
          {t('escalation.lead')} <GuideLink topic="escalation" />
        </>
      }
    >
      <Panel>
        <EscalationForm
          guildId={guild.id}
          policy={escalationWire(policy)}
          mostSteps={MOST_ESCALATION_STEPS}
        />
      </Panel>
    </Section>
  );
}
