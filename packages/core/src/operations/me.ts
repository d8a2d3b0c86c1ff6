import { z } from 'zod';
import { operation } from './operation.ts';
import { Me } from './shapes.ts';

export const me = {
  me: operation({
    summary: 'Get what this token is and may do now',
    http: { method: 'GET', path: '/me', success: 200, scope: 'token' },
    tool: { name: 'whoami' },
    capability: 'none',
    tier: 'read',
    performedBy: 'store',
    input: z.strictObject({}),
    output: Me,
    target: () => null,
  }),
};
