/**
 * Words that claim nothing on their own. Every other word of a sentence must come from the facts it cites, so that nothing can
 * be said that no fact says, with or without a number or a name.
 */
const words = `
a an the this that these those it its itself they them their theirs there here what which who whom whose
of in on at by for from to with into within among between during before after when where while until as than
and or but also too then next finally overall further additionally moreover respectively again already still
is are was were be been being am has have had having do does did will would can could may might
i we us our ours you your yours yourself he she his her hers
about around via per if else whether how such other another each own
made make makes making took take takes taken place came come comes coming gave give gives given
decision decisions offer offers customer customers flow stage step request result results list item items
following follows followed value values figure figures section name named called
hello hi dear thank thanks hope enjoy welcome`;

export const plainWords: ReadonlySet<string> = new Set(words.trim().split(/\s+/));

/** Words that turn a statement into its opposite. */
export const negations: ReadonlySet<string> = new Set(
  "no not none nor neither never nothing nobody nowhere without cannot can't couldn't isn't aren't wasn't weren't doesn't don't didn't hasn't haven't hadn't won't wouldn't".split(
    ' ',
  ),
);

/** Words for a cause, each with the facts' kinds that name one (docs/design/api-decisioning.md 17). */
export const causes =
  /\b(because|due to|so|so that|therefore|thus|hence|thereby|as a result|owing to|thanks to|leads? to|led to|reasons?|why)\b/i;
export const causeWords: ReadonlySet<string> = new Set(
  'because due so therefore thus hence thereby result owing thanks lead leads led reason reasons why'.split(' '),
);

/** Returns a word without its most common endings, so that a fact's word may be used in another form. */
export function stem(word: string): string {
  const plain = word.toLowerCase().replace(/['’]s?$/, '');
  const cut = plain.replace(/(?:ies|ied)$/, 'y').replace(/(?:ings?|ed|es|s|ly)$/, '');
  return cut.length < 3 ? plain : cut.replace(/([^aeious])\1$/, '$1').replace(/e$/, '');
}
