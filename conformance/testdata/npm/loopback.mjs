// Preloaded (node --import) by every HTTP server here, ours or not: whatever
// address the program asks for, it listens on a free port of the loopback
// interface, and says which in one line. It ends with its standard input, so
// that a test that dies leaves no server behind.
import net from 'node:net';

const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (...args) {
  this.once('listening', () => console.log(`listening on http://127.0.0.1:${this.address().port}`));
  return listen.call(this, 0, '127.0.0.1', args.find((arg) => typeof arg === 'function'));
};

process.stdin.on('end', () => process.exit()).resume();
