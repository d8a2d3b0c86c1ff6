// Loaded into every process of an instance: writes the port of each connection that it opens to CONNECTIONS_LOG.
import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import process from 'node:process';

const path = process.env.CONNECTIONS_LOG ?? '';
subscribe('net.client.socket', (message) => {
  const { socket } = /** @type {{ socket: import('node:net').Socket }} */ (message);
  socket.once('connectionAttempt', (_address, port) => appendFileSync(path, `${port}\n`));
});
