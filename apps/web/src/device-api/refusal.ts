import type { DevicePollError } from '@bailiff/engine/tokens/device';

/** The error codes of RFC 6749 §5.2 and RFC 8628 §3.5. The last two (RFC 6749 §4.1.2.1) are for errors on our side. */
type DeviceErrorCode =
  | DevicePollError
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_scope'
  | 'unsupported_grant_type'
  | 'temporarily_unavailable'
  | 'server_error';

/** An error of the device flow, in the RFC's own shape. */
export class DeviceRefusal extends Error {
  readonly code: DeviceErrorCode;
  readonly status: number;

  constructor(code: DeviceErrorCode, description: string, status = 400) {
    super(description);
    this.name = 'DeviceRefusal';
    this.code = code;
    this.status = status;
  }
}
