// Prints the names of all scenarios that a revision of the specification has,
// scored and not scored, as {"server": [...], "client": [...]}.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

const [, , revision] = process.argv;
const file = `./node_modules/@modelcontextprotocol/conformance/requirements/${revision}.yaml`;
const set = parse(readFileSync(new URL(file, import.meta.url), 'utf8'));
const namesOf = (leg) => [
  ...set[leg],
  ...set.not_scored.filter((entry) => entry.leg === leg).map((entry) => entry.scenario),
];
console.log(JSON.stringify({ server: namesOf('server'), client: namesOf('client') }));
