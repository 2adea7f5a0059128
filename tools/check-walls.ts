import { join } from 'node:path';
import { blindSpots, canaries } from './walls/canaries.ts';
import { inspect, ruleNames } from './walls/inspect.ts';
import { notYet } from './walls/not-yet.ts';
import { readRepository } from './walls/repository.ts';

/**
 * `npm run walls`: checks the table of docs/architecture.md. First every rule must fail on its canaries, then the
 * repository must pass, with every source file on disk seen.
 */

const blind = await blindSpots();
if (blind.length > 0) {
  console.error(`walls: the checker cannot be trusted:\n  ${blind.join('\n  ')}`);
  process.exit(1);
}

const repository = readRepository(join(import.meta.dirname, '..'));
const findings = await inspect(repository, notYet);
for (const { rule, file, line, what } of findings) {
  console.error(`${rule}: ${line === 0 ? file : `${file}:${line}`} ${what}`);
}

const { size } = repository.sources;
console.log(
  `walls: ${size} modules checked against ${ruleNames.length} rules, ${canaries.length} canaries caught, ` +
    `${findings.length} broken`,
);
process.exit(findings.length === 0 && size > 0 ? 0 : 1);
