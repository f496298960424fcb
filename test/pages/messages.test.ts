import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IntlMessageFormat } from 'intl-messageformat';
import ts from 'typescript';
import { z } from 'zod';
import { packageRoot } from '../../src/package/root.ts';
import { LANGUAGES } from '../../web/i18n/languages.ts';
import { FAULTS } from '../../web/pay/faults.ts';

const ROOT = packageRoot();
const MESSAGES = join(ROOT, 'web/messages');

const catalogSchema = z.record(z.string(), z.string());
type Catalog = z.output<typeof catalogSchema>;

function catalogOf(language: string): Catalog {
  return catalogSchema.parse(JSON.parse(readFileSync(join(MESSAGES, `${language}.json`), 'utf8')));
}

const TAGS = readdirSync(MESSAGES).map((name) => name.replace('.json', ''));
const EN = catalogOf('en');

type Element = ReturnType<IntlMessageFormat['getAst']>[number];

function elementsOf(text: string, language: string): Element[] {
  return new IntlMessageFormat(text, language).getAst().flatMap(within);
}

function within(element: Element): Element[] {
  const inner = 'options' in element ? Object.values(element.options).flatMap(({ value }) => value) : [];
  const children = 'children' in element ? element.children : [];
  return [element, ...[...inner, ...children].flatMap(within)];
}

const LITERAL = 0;
const POUND = 7;

/** Each argument of a message with its kind, such as "days:6"; without repetitions. */
function argumentsOf(text: string, language: string): string[] {
  const named = elementsOf(text, language).filter(({ type }) => type !== LITERAL && type !== POUND);
  return [...new Set(named.map((element) => `${'value' in element ? element.value : ''}:${element.type}`))].sort();
}

/** Other words for an end, an approval that is there, a charge or a discount (docs/translating.md). */
const OTHER_WORDS: Catalog = {
  ar: 'ملغى|موافقة محفظتك سارية|رمز الخصم|خصم {off}|هذا الدفع',
  de: '\\bgekündigt|Freigabe .*gültig|\\bBrief',
  en: 'subscription is canceled|agreement is (ended|over)|approval .*valid|Withdrawn',
  es: 'suscripción está cancelada|aprobación .*válida|periodo|carta',
  ja: '解約|承認は.*有効|請求(?!書|先)|取引(?!所)|ブラウザー',
};

describe.each(TAGS)('the catalog %s', (language) => {
  const catalog = catalogOf(language);

  it('has exactly the texts of the English one, in the same order', () => {
    expect(Object.keys(catalog)).toEqual(Object.keys(EN));
    expect(Object.entries(catalog).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it('has texts that can be read, with the same arguments of the same kinds', () => {
    for (const [key, text] of Object.entries(catalog))
      expect([key, argumentsOf(text, language)]).toEqual([key, argumentsOf(EN[key] ?? '', 'en')]);
  });

  it('has one word for one thing', () => {
    const others = new RegExp(OTHER_WORDS[language] ?? '(?!)');
    expect(Object.entries(catalog).filter(([, text]) => others.test(text))).toEqual([]);
  });

  it('has every plural form of the language', () => {
    const needed = new Intl.PluralRules(language).resolvedOptions().pluralCategories;
    for (const [key, text] of Object.entries(catalog)) {
      for (const element of elementsOf(text, language)) {
        if (!('offset' in element)) continue;
        const forms = Object.keys(element.options).filter((form) => !form.startsWith('='));
        expect([key, forms.toSorted()]).toEqual([key, needed.toSorted()]);
      }
    }
  });

  it('can be chosen on the pages', () => {
    expect(LANGUAGES[language]?.name).toEqual(expect.any(String));
  });
});

/** The sources of the payer's pages. */
const SOURCES = ['i18n', 'pay', 'checkout', 'authorize', 'portal'].flatMap((folder) =>
  readdirSync(join(ROOT, 'web', folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => sourceAt(`web/${folder}/${name}`)),
);

/** What the service writes itself, with the words that both share. */
const SHELLS = ['src/pages', 'src/checkout', 'src/portal', 'src/letters', 'src/invoices', 'machines/rules'].flatMap(
  (folder) =>
    readdirSync(join(ROOT, folder), { encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => sourceAt(`${folder}/${name}`)),
);

function sourceAt(path: string): ts.SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.ES2022,
    true,
    path.endsWith('x') ? ts.ScriptKind.TSX : undefined,
  );
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes: ts.Node[] = [node];
  node.forEachChild((child) => {
    nodes.push(...nodesOf(child));
  });
  return nodes;
}

function placeOf(node: ts.Node): string {
  const source = node.getSourceFile();
  const { line } = source.getLineAndCharacterOfPosition(node.getStart());
  return `${source.fileName}:${line + 1} ${node.getText().slice(0, 60)}`;
}

/** The constant text of a literal, with "…" for the inserted parts of a template; null: it is none. */
function literalText(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return null;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

describe('the texts', () => {
  it('are all used', () => {
    const literals = [...SOURCES, ...SHELLS].flatMap(nodesOf).flatMap((node) => literalText(node) ?? []);
    const used = new Set(literals);
    const patterns = literals
      .filter((text) => /^[a-z_]+\.[a-z_]*…/.test(text))
      .map((text) => new RegExp(`^${text.replaceAll('.', '\\.').replaceAll('…', '[a-z_]+')}$`));
    const unused = Object.keys(EN).filter((key) => !used.has(key) && !patterns.some((pattern) => pattern.test(key)));
    expect(unused).toEqual([]);
  });

  it('get all their values wherever they are said', () => {
    const calls = SOURCES.flatMap(nodesOf).filter(ts.isCallExpression);
    const said = calls.filter(({ expression }) => /^say(?:Rich)?$/.test(expression.getText()));
    expect(said.length).toBeGreaterThan(200);
    const incomplete = said.filter(({ arguments: [key, values] }) => {
      if (key === undefined) return true;
      const given = valuesIn(values);
      if (given === null) return false;
      const keys = nodesOf(key)
        .filter(ts.isStringLiteral)
        .flatMap(({ text }) => EN[text] ?? []);
      return keys.some((text) => argumentsOf(text, 'en').some((each) => !given.includes(each.replace(/:\d+$/, ''))));
    });
    expect(incomplete.map(placeOf)).toEqual([]);
  });

  it('are nowhere but in the catalogs', () => {
    expect(SOURCES.length).toBeGreaterThan(50);
    expect(SOURCES.flatMap(nodesOf).filter(isHardCoded).map(placeOf)).toEqual([]);
  });

  it('are found by this test if they are hard-coded', () => {
    const code = `
      const a = <p title="Pay now" class="row wide">Hello {name}</p>;
      const b = <b aria-label={isOpen ? 'Close' : say('x')}>{isNew && 'New'}</b>;
      throw new WalletError('failed', 'It is ' + name);
      const c = { title: 'Waiting for you' };`;
    const source = ts.createSourceFile('a.tsx', code, ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX);
    expect(
      nodesOf(source)
        .filter(isHardCoded)
        .map((node) => node.getText().trim()),
    ).toEqual(['"Pay now"', 'Hello', "'Close'", "'New'", "'It is '", "'Waiting for you'"]);
  });

  it('replace refusals that the service still has', () => {
    const service = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
      .join('\n');
    expect(FAULTS.filter(([part]) => !service.includes(part))).toEqual([]);
  });
});

/** The names of the values; null: the test cannot see them. */
function valuesIn(values: ts.Expression | undefined): string[] | null {
  if (values === undefined) return [];
  if (!ts.isObjectLiteralExpression(values)) return null;
  if (values.properties.some(ts.isSpreadAssignment)) return null;
  return values.properties.map(({ name }) => name?.getText() ?? '');
}

/** Attributes whose texts people read or hear. */
const READ = /^(?:aria-label|title|label|placeholder|alt|caption|hint|again|error)$/;

/**
 * The text that people read. In JSX it is the text of elements and of attributes such as `title`; elsewhere it has
 * several words.
 */
function isHardCoded(node: ts.Node): boolean {
  if (ts.isJsxText(node)) return /\p{L}/u.test(node.text);
  const text = literalText(node);
  if (text === null || !/\p{L}/u.test(text) || isTypeOrImport(node)) return false;
  const at = placeInJsx(node);
  if (at === 'content') return true;
  if (at !== null) return READ.test(at);
  return /\p{L}[\p{L}’']* \p{L}|… \p{L}|\p{L} …/u.test(text) && !isForPrograms(node);
}

function isTypeOrImport({ parent }: ts.Node): boolean {
  return ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent);
}

/** The attribute that a literal is the value of, also by a condition; "content": of an element; null: neither. */
function placeInJsx(node: ts.Node): string | null {
  const { parent } = node;
  if (ts.isJsxAttribute(parent)) return parent.name.getText();
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? placeInJsx(parent) : 'content';
  const isPassedOn =
    ts.isParenthesizedExpression(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== node) ||
    (ts.isBinaryExpression(parent) &&
      parent.right === node &&
      /^(?:&&|\|\||\?\?)$/.test(parent.operatorToken.getText()));
  return isPassedOn ? placeInJsx(parent) : null;
}

/**
 * Errors for programmers, names of classes, parts of the service's own messages, names of products and of test wallets.
 */
function isForPrograms(node: ts.Node): boolean {
  const { parent } = node;
  if (node.getSourceFile().fileName.includes('/wallets/test-')) return true;
  if (ts.isPropertyAssignment(parent)) return /^(?:name|message)$/.test(parent.name.getText());
  if (ts.isNewExpression(parent) || ts.isCallExpression(parent))
    return /^(?:Error|classNames)$/.test(parent.expression.getText());
  return ts.isArrayLiteralExpression(parent);
}
