import type { Proof } from '@arbiter/engine';
import { scriptText } from '../../../http/answers/page.ts';
import { AppError } from '../../../platform/app-error.ts';
import { mapInTurns } from '../../../platform/turns.ts';

const place = '<script type="application/json" id="proof">';

/**
 * Returns a proof as one HTML file that checks itself in any browser, offline (docs/adr/0104). `template`: proof.html of the console
 * build. Throws 503 `not_configured` when it's null. Works in turns, because the plan of a large catalogue has
 * tens of megabytes.
 */
export async function proofPage(template: string | null, proof: Proof): Promise<string> {
  const [before, after] = template?.split(place) ?? [];
  if (before === undefined || after === undefined) {
    throw new AppError('not_configured', { detail: "The console isn't built. Run npm run build." });
  }
  return `${before}${place}${await proofText(proof)}${after}`;
}

/** The same as `scriptText(proof)` but for the order of properties, one piece of the plan at a time. */
async function proofText({ plan, modelStates, ...rest }: Proof): Promise<string> {
  const pieces = await mapInTurns(plan.pieces, scriptText);
  const states = await mapInTurns(Object.entries(modelStates), ([name, text]) => {
    return `${scriptText(name)}:${scriptText(text)}`;
  });
  const plain = scriptText(rest).slice(0, -1);
  return `${plain},"plan":{"head":${scriptText(plan.head)},"pieces":[${pieces.join()}]},"modelStates":{${states.join()}}}`;
}

/** Headers for tenants' content: browsers save the file, and give it no origin if they show it anyway. */
export const proofHeaders = ({ decision }: Proof): Readonly<Record<string, string>> => ({
  'content-disposition': `attachment; filename="proof-${decision.recommendationId}.html"`,
  'content-security-policy': 'sandbox allow-scripts',
  'cache-control': 'no-store',
});
