import type { OAuthErrorCode } from '@bailiff/core';

/** An error of the device flow, in the RFC's own shape. */
export class DeviceRefusal extends Error {
  readonly code: OAuthErrorCode;
  readonly status: number;

  constructor(code: OAuthErrorCode, description: string, status = 400) {
    super(description);
    this.name = 'DeviceRefusal';
    this.code = code;
    this.status = status;
  }
}
