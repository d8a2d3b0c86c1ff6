'use client';

import type { Attention } from '@bailiff/engine/desk/attention';
import { ChevronRight } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useLive, useRefreshSoon } from '#components/live.tsx';
import { Link } from '#components/ui/link.tsx';
import { Panel, Stat } from '#components/ui/panel.tsx';
import type { OutcomeCounts } from '#src/activity-charts.ts';
import type { AuditRow } from '#src/audit-row.ts';
import { useAttention } from './use-attention.ts';

/** The numbers also fall, as what happened becomes older than a day. */
const COUNTED_ANEW_EVERY_MS = 5 * 60_000;

/** The items that wait for the viewer and the numbers of the last day, both updated by change events. */
export function AttentionList({
  guildId,
  attention: rendered,
  lastDay,
}: {
  guildId: string;
  attention: Attention;
  /** Null if the viewer may not read the audit log. */
  lastDay: (OutcomeCounts & { readonly meanBefore: number }) | null;
}) {
  const t = useTranslations('overview');
  const attention = useAttention(guildId, rendered);
  const items = useItems(guildId, attention);
  return (
    <>
      <section aria-labelledby="attention" className="mb-7">
        <h2 id="attention" className="mb-2 font-semibold">
          {t('attention')}
        </h2>
        {items.length === 0 ? (
          <Panel className="text-ink-soft px-3.5 py-3">{t('nothingWaits')}</Panel>
        ) : (
          <ul className="grid gap-2 lg:grid-cols-2">
            {items.map(({ name, text, detail, href }) => (
              <li key={name}>
                <Link
                  href={href}
                  className="border-line bg-surface hover:border-line-strong flex items-center gap-3 rounded-lg border px-3.5 py-3 no-underline"
                >
                  <span className="min-w-0 flex-1">
                    <span className="block font-medium">{text}</span>
                    <span className="text-ink-soft block">{detail}</span>
                  </span>
                  <ChevronRight aria-hidden size={16} className="text-ink-soft" />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </section>
      <Numbers guildId={guildId} attention={attention} lastDay={lastDay} />
    </>
  );
}

interface Item {
  readonly name: string;
  readonly text: string;
  readonly detail: string;
  readonly href: string;
}

function useItems(guildId: string, attention: Attention): readonly Item[] {
  const t = useTranslations('overview');
  const base = `/guilds/${guildId}`;
  const items: Item[] = [];
  // The first steps say it too.
  if (attention.grantsUnconfirmed === true && attention.firstStepsDone === null) {
    items.push({
      name: 'grants',
      text: t('grantsUnconfirmed'),
      detail: t('grantsUnconfirmedDetail'),
      href: `${base}/settings/roles`,
    });
  }
  const onlyInReview = attention.newAppeals === 0 ? '?state=in_review' : '';
  const counted = [
    ['pendingApprovals', `${base}/approvals`],
    ['openWindows', `${base}/approvals`],
    ['tokensToRotate', `${base}/tokens`],
    ['tokensExpiring', `${base}/tokens`],
    ['openAppeals', `${base}/appeals${onlyInReview}`],
    ['openReports', `${base}/reports`],
    ['serversDown', `${base}/servers`],
    ['logTopicsBroken', `${base}/settings#log-topics`],
    ['bansNotLifted', `${base}/cases?standing=overdue`],
    ['unknownActions', `${base}/audit?outcome=unknown`],
  ] as const;
  for (const [name, href] of counted) {
    const count = attention[name] ?? 0;
    if (count > 0) items.push({ name, text: t(name, { count }), detail: t(`${name}Detail`), href });
  }
  const { openTickets, claimedTickets, logChannelProblem } = attention;
  if (openTickets !== null && openTickets > 0) {
    const detail = t('openTicketsDetail', { claimed: claimedTickets ?? 0 });
    const href = `${base}/tickets?status=open`;
    items.push({ name: 'tickets', text: t('openTickets', { count: openTickets }), detail, href });
  }
  if (logChannelProblem !== null) {
    const detail = t('logChannelDetail', { problem: logChannelProblem });
    items.push({ name: 'log', text: t('logChannel'), detail, href: `${base}/settings#log-channel` });
  }
  return items;
}

function Numbers({
  guildId,
  attention,
  lastDay: rendered,
}: Pick<Parameters<typeof AttentionList>[0], 'guildId' | 'attention' | 'lastDay'>) {
  const t = useTranslations('overview');
  const lastDay = useCounting(guildId, rendered);
  const base = `/guilds/${guildId}`;
  const { openTickets, claimedTickets, servers, serversDown } = attention;
  if (lastDay === null && openTickets === null && servers === null) return null;
  return (
    <section aria-labelledby="last-day" className="mb-7">
      <h2 id="last-day" className="mb-2 font-semibold">
        {t('lastDay')}
      </h2>
      <div className="grid grid-cols-2 gap-2 sm:grid-cols-3 xl:grid-cols-5">
        {lastDay === null ? null : (
          <>
            <Stat
              label={t('actions')}
              value={lastDay.performed}
              hint={t('weekBefore', { count: lastDay.meanBefore })}
              href={`${base}/audit?outcome=performed`}
            />
            <Stat
              label={t('failures')}
              value={lastDay.failed}
              tone={lastDay.failed > 0 ? 'warn' : 'plain'}
              href={`${base}/audit?outcome=failed`}
            />
            <Stat label={t('refusals')} value={lastDay.refused} href={`${base}/audit?outcome=refused`} />
          </>
        )}
        {openTickets === null ? null : (
          <Stat
            label={t('ticketsStat')}
            value={openTickets}
            hint={t('claimedStat', { count: claimedTickets ?? 0 })}
            href={`${base}/tickets`}
          />
        )}
        {servers === null || servers === 0 ? null : (
          <Stat
            label={t('serversStat')}
            value={t('ofServers', { reached: servers - (serversDown ?? 0), all: servers })}
            tone={(serversDown ?? 0) > 0 ? 'bad' : 'plain'}
            href={`${base}/servers`}
          />
        )}
      </div>
    </section>
  );
}

/** The numbers of the last day, increased with each new row and counted anew every few minutes. */
function useCounting<Counts extends OutcomeCounts>(guildId: string, rendered: Counts | null): Counts | null {
  const refreshSoon = useRefreshSoon(guildId);
  const [counted, setCounted] = useState({ from: rendered, counts: rendered });
  const countAnew = useEffectEvent(() => {
    if (rendered !== null && document.visibilityState === 'visible') refreshSoon({ kinds: [] });
  });
  useEffect(() => {
    const timer = setInterval(countAnew, COUNTED_ANEW_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  useLive(guildId, ['audit'], (change, isLate) => {
    const { audit = [], missed } = change;
    if (missed === true || isLate) return refreshSoon(change);
    const of = (wanted: AuditRow['outcome']) => audit.filter(({ outcome }) => outcome === wanted).length;
    setCounted((before) => {
      const counts = before.from === rendered ? before.counts : rendered;
      if (counts === null) return before;
      return {
        from: rendered,
        counts: {
          ...counts,
          performed: counts.performed + of('performed'),
          failed: counts.failed + of('failed'),
          refused: counts.refused + of('refused'),
        },
      };
    });
  });
  return counted.from === rendered ? counted.counts : rendered;
}
