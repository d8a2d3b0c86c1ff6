import type { ReactNode } from 'react';
import { OPERATION_NAMES } from '@bailiff/core';
export default function L({ children }: { children: ReactNode }) { return <html lang="en"><body data-n={OPERATION_NAMES.length}>{children}</body></html>; }
