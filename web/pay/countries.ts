import { locale } from '../i18n/say.ts';

/** The codes of ISO 3166-1, which no browser lists. */
const CODES =
  'ADAEAFAGAIALAMAOAQARASATAUAWAXAZBABBBDBEBFBGBHBIBJBLBMBNBOBQBRBSBTBVBWBYBZCACCCDCFCGCHCICKCLCMCNCOCRCUCVCWCXCYCZ' +
  'DEDJDKDMDODZECEEEGEHERESETFIFJFKFMFOFRGAGBGDGEGFGGGHGIGLGMGNGPGQGRGSGTGUGWGYHKHMHNHRHTHUIDIEILIMINIOIQIRISITJEJM' +
  'JOJPKEKGKHKIKMKNKPKRKWKYKZLALBLCLILKLRLSLTLULVLYMAMCMDMEMFMGMHMKMLMMMNMOMPMQMRMSMTMUMVMWMXMYMZNANCNENFNGNINLNONP' +
  'NRNUNZOMPAPEPFPGPHPKPLPMPNPRPSPTPWPYQARERORSRURWSASBSCSDSESGSHSISJSKSLSMSNSOSRSSSTSVSXSYSZTCTDTFTGTHTJTKTLTMTNTO' +
  'TRTTTVTWTZUAUGUMUSUYUZVAVCVEVGVIVNVUWFWSYEYTZAZMZW';

/** The choice of a country, by its name in the language of the page. The first one names none. */
export function countryOptions(): (readonly [code: string, name: string])[] {
  const names = new Intl.DisplayNames(locale(), { type: 'region' });
  const { compare } = new Intl.Collator(locale());
  const all = (CODES.match(/../g) ?? []).map((code) => [code, names.of(code) ?? code] as const);
  return [['', '–'], ...all.toSorted(([, one], [, other]) => compare(one, other))];
}
