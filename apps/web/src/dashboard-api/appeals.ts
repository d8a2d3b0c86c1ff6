import { AppealInput, AppealSettingsInput, countedAddress } from '@bailiff/core';
import { fileAppeal } from '@bailiff/engine/appeals/own-appeals';
import { updateAppealSettings } from '@bailiff/engine/appeals/settings';
import { perOwner } from '@bailiff/engine/database/coalesce';
import type { Database } from '@bailiff/prisma';
import { localeOfRequest } from '#src/locale-of-request.ts';
import { createRequestWindow } from '#src/request-window.ts';
import { bodyOf } from './input.ts';
import { json, type Route } from './route.ts';

/** Besides the limits of each person and guild, which the database has (SQL `file_appeal`). */
const appealsOfAddress = perOwner((pool: Database['pool']) =>
  createRequestWindow(pool, 'appeal', { requests: 20, windowSeconds: 3600 }),
);

export const appealRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: '/api/appeals/{caseId}',
    handle: async ({ db }, request) => {
      const { caseId = '' } = request.params;
      const address = countedAddress(request.call.address);
      await appealsOfAddress(db.pool).count(address, 'ip', 'appeals from your address');
      const appeal = await bodyOf(request, AppealInput);
      const language = localeOfRequest(request.request.headers);
      await fileAppeal(db, request.call, caseId, { ...appeal, language });
      return json(200, { case_id: caseId });
    },
  },
  {
    method: 'PATCH',
    path: '/api/guilds/{guildId}/appeal-settings',
    handle: async ({ db }, request) => {
      const changes = await bodyOf(request, AppealSettingsInput);
      return json(200, await updateAppealSettings(db, request.call, request.params.guildId ?? '', changes));
    },
  },
];
