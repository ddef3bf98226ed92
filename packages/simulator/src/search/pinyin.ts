/**
 * Initials of Chinese characters in pinyin, by the collation that the runtime has for it: the first character of each letter's stretch
 * in the dictionary bounds it (no reading begins with i, u or v).
 */
const letters = 'abcdefghjklmnopqrstwxyz';
const firsts = '阿八嚓哒妸发旮哈讥咔垃痳拏噢妑七呥扨它穵夕丫帀';

const collator = new Intl.Collator('zh-u-co-pinyin');
const HAN = /\p{Script=Han}/u;

/** Characters whose usual reading in names is not the dictionary's first. */
const exceptions: Readonly<Record<string, string>> = { 长: 'c', 行: 'h', 重: 'c', 厦: 'x', 石: 's', 藏: 'z', 乐: 'l' };

/** "腾讯控股" → "txkg"; letters and digits stand for themselves. Empty for a text without Chinese characters. */
export function initials(text: string): string {
  if (!HAN.test(text)) return '';
  let result = '';
  for (const character of text.toLowerCase()) {
    if (HAN.test(character)) result += exceptions[character] ?? initialOf(character);
    else if (/[a-z0-9]/.test(character)) result += character;
  }
  return result;
}

function initialOf(character: string): string {
  const after = [...firsts].findIndex((first) => collator.compare(character, first) < 0);
  return letters[after < 0 ? letters.length - 1 : Math.max(0, after - 1)] ?? '';
}
