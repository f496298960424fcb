#!/usr/bin/env node
// The compiler of Foundry: the npm package `solc`, as a program. Foundry asks for its version, or for a compilation.
import { text } from 'node:stream/consumers';
import solc from 'solc';

if (process.argv.includes('--version')) {
  const version = solc.version().replace('Emscripten.clang', 'Linux.g++');
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version}`);
} else {
  process.stdout.write(solc.compile(await text(process.stdin)));
}
