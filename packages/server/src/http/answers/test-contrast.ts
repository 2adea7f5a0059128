/** Returns the colors of a page's themes, by name, light theme first. */
export const themesOf = (style: string): readonly Readonly<Record<string, string>>[] =>
  [...style.matchAll(/:root\{([^}]+)\}/g)].map(([, text = '']) =>
    Object.fromEntries([...text.matchAll(/--([\w-]+):(#[0-9a-f]+)/g)].map(([, name, value]) => [name, value])),
  );

/** Returns the contrast of two colors, 1 to 21 (WCAG 2.2). */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the relative luminance of a color (WCAG 2.2). */
function luminance(color: string): number {
  const hex = color.length === 4 ? color.replace(/[0-9a-f]/gi, '$&$&') : color;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const share = Number.parseInt(hex.slice(from, from + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
