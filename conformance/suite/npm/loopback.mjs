// Preloaded (node --import): the servers that the suite plays listen on the
// loopback interface, not on all. It hooks in below net.Server.listen, which
// would look up an address first and so listen later than the suite expects.
import net from 'node:net';

const bind = net.Server.prototype._listen2;

net.Server.prototype._listen2 = function (address, port, family, ...rest) {
  return address ? bind.call(this, address, port, family, ...rest) : bind.call(this, '127.0.0.1', port, 4, ...rest);
};
