import type { Part } from './figure.ts';
import { ban, hostile, mcp, reads, submit } from './parts/api.ts';
import { gateway, gatewayFull, heap, heapFull, interactions } from './parts/bot.ts';
import { browser, dashboard, dashboardFull, imports, people } from './parts/dashboard.ts';
import { nightly, nightlyFull, pages, pagesFull, tenants, tenantsFull } from './parts/database.ts';
import { fair, invalid, invalidFull, purge, purgeFull } from './parts/limits.ts';
import {
  cold,
  idle,
  memory,
  memoryFull,
  processes,
  recovery,
  recoveryFull,
  starts,
} from './parts/product.ts';

/** Every part by its name, in the order of a run. */
export const PARTS: Readonly<Record<string, Part>> = {
  starts,
  cold,
  idle,
  memory,
  'memory-full': memoryFull,
  recovery,
  'recovery-full': recoveryFull,
  processes,
  reads,
  hostile,
  pages,
  'pages-full': pagesFull,
  ban,
  submit,
  mcp,
  dashboard,
  'dashboard-full': dashboardFull,
  import: imports,
  browser,
  people,
  tenants,
  'tenants-full': tenantsFull,
  nightly,
  'nightly-full': nightlyFull,
  heap,
  'heap-full': heapFull,
  gateway,
  'gateway-full': gatewayFull,
  interactions,
  fair,
  invalid,
  'invalid-full': invalidFull,
  purge,
  'purge-full': purgeFull,
};
