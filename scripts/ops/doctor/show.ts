import { type Colors, printable } from '../../lib/terminal.ts';
import { COUNTED_MOST, type Examination, type Finding } from './finding.ts';

const WIDTH = 118;

/** The number of wrong findings, including those that are not shown. */
export function wrongIn(examinations: readonly Examination[]): number {
  return examinations.reduce((sum, { findings, count }) => {
    const notes = findings.filter(({ severity }) => severity === 'note').length;
    return sum + (findings.length > notes ? count - notes : 0);
  }, 0);
}

/** The number of notes, including those that are not shown. */
function notesIn(examinations: readonly Examination[]): number {
  return examinations.reduce((sum, { count }) => sum + count, 0) - wrongIn(examinations);
}

/** A line for each check, and below it each finding, its time, and what to do. The last sentence counts them. */
export function shown(examinations: readonly Examination[], now: Date, colors: Colors): string {
  const text = examinations.map((each) => examinationText(each, now, colors)).join('');
  return `${text}\n${conclusion(wrongIn(examinations), notesIn(examinations), colors)}\n`;
}

function conclusion(wrong: number, notes: number, colors: Colors): string {
  const noted = notes === 1 ? '1 note (·)' : `${notes} notes (·)`;
  if (wrong > 0) {
    const things = wrong === 1 ? '1 thing is wrong (✗)' : `${wrong} things are wrong (✗)`;
    return colors.red(notes === 0 ? things : `${things}, ${noted}`);
  }
  return notes === 0 ? colors.green('Nothing is wrong') : colors.yellow(`No faults, but ${noted}: see above`);
}

function examinationText({ title, count, findings }: Examination, now: Date, colors: Colors): string {
  const isWrong = findings.some(({ severity }) => severity === 'wrong');
  if (findings.length === 0) return ` ${colors.green('✓')} ${title}\n`;
  const mark = isWrong ? colors.red('✗') : colors.yellow('·');
  const many = count >= COUNTED_MOST ? `${COUNTED_MOST} or more` : String(count);
  const rest = count > findings.length ? `     … and ${count - findings.length} more\n` : '';
  const rows = findings.map((finding) => findingText(finding, now, colors)).join('');
  return ` ${mark} ${title}: ${many}\n${rows}${rest}`;
}

function findingText({ severity, about, what, since, todo }: Finding, now: Date, colors: Colors): string {
  const head = severity === 'wrong' ? colors.bold(printable(about)) : printable(about);
  const age = since === null ? '' : `  ${colors.dim(`since ${since} (${ageOf(since, now)})`)}`;
  const lines = [
    ...wrapped(what, 5),
    ...wrapped(todo, 7).map((line, at) => (at === 0 ? `     → ${line.trim()}` : line)),
  ];
  return `   ${head}${age}\n${lines.map((line) => `${line}\n`).join('')}`;
}

/** An age for people, such as `3 min`. */
function ageOf(since: string, now: Date): string {
  const seconds = Math.max(0, (now.getTime() - Date.parse(since)) / 1_000);
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} days`;
}

function wrapped(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of printable(text).split(' ')) {
    if (line !== '' && indent + line.length + word.length + 1 > WIDTH) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => `${' '.repeat(indent)}${each}`);
}
