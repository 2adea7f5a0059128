/** Letters that Unicode doesn't decompose, with what people write for them. */
const spellings: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', ẞ: 'SS', æ: 'ae', Æ: 'AE', œ: 'oe', Œ: 'OE', ø: 'o', Ø: 'O', ł: 'l', Ł: 'L', đ: 'd', Đ: 'D' },
  ...{ ð: 'd', Ð: 'D', þ: 'th', Þ: 'Th', ı: 'i', ħ: 'h', Ħ: 'H' },
};

/** Returns a text with Latin letters spelled in ASCII: `Größe` as `Grosse`. Other characters stay. */
export const asciiLetters = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Script=Latin}\p{Mn}+/gu, ([letter = '']) => letter)
    .normalize('NFC')
    .replaceAll(/[^\0-\x7f]/gu, (letter) => spellings[letter] ?? letter);
