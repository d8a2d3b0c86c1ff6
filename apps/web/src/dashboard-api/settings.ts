import {
  EscalationInput,
  LOG_TOPICS,
  NoticeColour,
  NoticeWords,
  PresetInput,
  PublicAnswers,
  Snowflake,
} from '@bailiff/core';
import { escalationWire, updateEscalation } from '@bailiff/engine/cases/escalation';
import { addPreset, presetWire, removePreset, updatePreset } from '@bailiff/engine/cases/presets';
import { perOwner } from '@bailiff/engine/database/coalesce';
import { updateGuildSettings } from '@bailiff/engine/guilds/guild-settings';
import { ownedGuild } from '@bailiff/engine/guilds/guilds';
import { testChannel } from '@bailiff/engine/guilds/test-channel';
import { LOCALES } from '@bailiff/messages';
import type { Database } from '@bailiff/prisma';
import { z } from 'zod';
import { createRequestWindow } from '#src/request-window.ts';
import { bodyOf } from './input.ts';
import { json, type Route, requireFreshSignIn } from './route.ts';

const UpdateSettings = z
  .strictObject({
    language: z.enum(LOCALES).optional(),
    notifies_targets: z.boolean().optional(),
    notice_words: NoticeWords.optional(),
    notice_colour: NoticeColour.optional(),
    public_answers: PublicAnswers.optional(),
    alerts_joins: z.boolean().optional(),
    alerts_quiet_days: z.int().min(1).max(90).nullable().optional(),
    hides_first_steps: z.boolean().optional(),
    log_channel_id: Snowflake.nullable().optional(),
    log_topics: z.partialRecord(z.enum(LOG_TOPICS), Snowflake.nullable()).optional(),
    reports_channel_id: Snowflake.nullable().optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must change something');

const TestedChannel = z.strictObject({ channel_id: Snowflake });

/** A test is a message that everybody in the channel reads. */
const channelTests = perOwner((pool: Database['pool']) =>
  createRequestWindow(pool, 'channel-test', { requests: 10, windowSeconds: 600 }),
);

/** The settings of a guild, apart from the grants of its roles. */
export const settingsRoutes: readonly Route[] = [
  {
    method: 'PATCH',
    path: '/api/guilds/{guildId}/settings',
    handle: async ({ db }, request) => {
      const changes = await bodyOf(request, UpdateSettings);
      // Whoever reads the channel then reads of every case and report.
      const { log_channel_id, reports_channel_id, log_topics = {} } = changes;
      if ([log_channel_id, reports_channel_id, ...Object.values(log_topics)].some(Boolean))
        requireFreshSignIn(request);
      const settings = await updateGuildSettings(db, request.call, request.params.guildId ?? '', {
        language: changes.language,
        notifiesTargets: changes.notifies_targets,
        noticeWords: changes.notice_words,
        noticeColour: changes.notice_colour,
        publicAnswers: changes.public_answers,
        alertsJoins: changes.alerts_joins,
        alertsQuietDays: changes.alerts_quiet_days,
        hidesFirstSteps: changes.hides_first_steps,
        logChannelId: changes.log_channel_id,
        logTopics: changes.log_topics,
        reportsChannelId: changes.reports_channel_id,
      });
      return json(200, {
        language: settings.language,
        notifies_targets: settings.notifiesTargets,
        notice_words: settings.noticeWords,
        notice_colour: settings.noticeColour,
        public_answers: settings.publicAnswers,
        alerts_joins: settings.alertsJoins,
        alerts_quiet_days: settings.alertsQuietDays,
        hides_first_steps: settings.hidesFirstSteps,
        log_channel_id: settings.logChannelId,
        log_topics: settings.logTopics,
        reports_channel_id: settings.reportsChannelId,
      });
    },
  },
  {
    method: 'POST',
    path: '/api/guilds/{guildId}/settings/test-channel',
    handle: async ({ db, engine }, request) => {
      const { guildId = '' } = request.params;
      const { channel_id } = await bodyOf(request, TestedChannel);
      await ownedGuild(db, guildId, request.session.userId, { needsMirror: false });
      await channelTests(db.pool).count(guildId, 'session', 'tests of a channel');
      await testChannel(engine, request.call, guildId, channel_id);
      return json(200, { channel_id });
    },
  },
  {
    method: 'POST',
    path: '/api/guilds/{guildId}/presets',
    handle: async ({ db }, request) => {
      const wanted = await bodyOf(request, PresetInput);
      return json(201, presetWire(await addPreset(db, request.call, request.params.guildId ?? '', wanted)));
    },
  },
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/presets/{presetId}',
    handle: async ({ db }, request) => {
      const { guildId = '', presetId = '' } = request.params;
      const wanted = await bodyOf(request, PresetInput);
      return json(200, presetWire(await updatePreset(db, request.call, guildId, presetId, wanted)));
    },
  },
  {
    method: 'DELETE',
    path: '/api/guilds/{guildId}/presets/{presetId}',
    handle: async ({ db }, request) => {
      const { guildId = '', presetId = '' } = request.params;
      await removePreset(db, request.call, guildId, presetId);
      return json(200, { id: presetId });
    },
  },
  {
    method: 'PUT',
    path: '/api/guilds/{guildId}/escalation',
    handle: async ({ db }, request) => {
      // Strikes of moderators who may not ban lead to bans then.
      requireFreshSignIn(request);
      const policy = await bodyOf(request, EscalationInput);
      const updated = await updateEscalation(db, request.call, request.params.guildId ?? '', policy);
      return json(200, escalationWire(updated));
    },
  },
];
