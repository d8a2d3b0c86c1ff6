import { approvals } from './approvals.ts';
import { audit } from './audit.ts';
import { cases } from './cases.ts';
import { chat } from './chat.ts';
import { commands } from './commands.ts';
import { common } from './common.ts';
import { device } from './device.ts';
import { docs } from './docs.ts';
import { errors } from './errors.ts';
import { escalation } from './escalation.ts';
import { evidence } from './evidence.ts';
import { guard } from './guard.ts';
import { members } from './members.ts';
import { notes } from './notes.ts';
import { notices } from './notices.ts';
import { operations } from './operations.ts';
import { overview } from './overview.ts';
import { presets } from './presets.ts';
import { servers } from './servers.ts';
import { session } from './session.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';
import { signIn } from './sign-in.ts';
import { tickets } from './tickets.ts';
import { tokens } from './tokens.ts';
import { ui } from './ui.ts';

export const messages = {
  session,
  settings,
  approvals,
  audit,
  cases,
  chat,
  commands,
  common,
  device,
  docs,
  errors,
  escalation,
  evidence,
  guard,
  members,
  notes,
  notices,
  operations,
  overview,
  presets,
  servers,
  shell,
  signIn,
  tickets,
  tokens,
  ui,
};
