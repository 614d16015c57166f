import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { endOf } from "../../support/command.ts"

const launcher = fileURLToPath(new URL("../../../infrastructure/cli/sliptrail.mjs", import.meta.url))
const platformNode = `node_modules/node-${process.platform}-${process.arch}/bin/node`
const installedNode = fileURLToPath(new URL(`../../../${platformNode}`, import.meta.url))
const node = basename(process.execPath) === "node" || !existsSync(installedNode) ? process.execPath : installedNode

/** Makes the launcher see an old version of Node. */
const asNode20 = [
  "--import",
  `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.20.2"}})`
]

describe("sliptrail.mjs", () => {
  let home = ""
  const children: Array<ChildProcess> = []

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "launcher-"))
    mkdirSync(join(home, "infrastructure/cli"), { recursive: true })
    writeFileSync(join(home, "package.json"), `{ "type": "module" }`)
    copyFileSync(launcher, join(home, "infrastructure/cli/sliptrail.mjs"))
  })

  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL")
    rmSync(home, { recursive: true, force: true })
  })

  const givenMain = (source: string): void => writeFileSync(join(home, "infrastructure/main.ts"), source)

  const givenInstalledNode = (): void => {
    const path = join(home, platformNode)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\nBROUGHT=along exec ${node} "$@"\n`)
    chmodSync(path, 0o755)
  }

  const start = (args: ReadonlyArray<string>, nodeArgs: ReadonlyArray<string> = []): ChildProcess => {
    const child = spawn(node, [...nodeArgs, join(home, "infrastructure/cli/sliptrail.mjs"), ...args], { cwd: home })
    children.push(child)
    return child
  }

  it("passes arguments and standard input to main.ts, and returns its exit code", async () => {
    givenMain(`const text: string = JSON.stringify(process.argv.slice(2))
      process.stdin.on("data", (chunk) => process.stdout.write(text + chunk)).on("end", () => process.exit(7))`)
    const child = start(["trail", "--at", "a b", "--json"])
    child.stdin?.end("!")
    assert.deepStrictEqual(await endOf(child), { code: 7, stdout: `["trail","--at","a b","--json"]!`, stderr: "" })
  })

  it("forwards SIGTERM and waits for the end", async () => {
    givenMain(`const timer = setInterval(() => {}, 1000)
      process.on("SIGTERM", () => { clearInterval(timer); process.stdout.write("drained") })
      process.stdout.write("ready ")`)
    const child = start([])
    // Does not use child.kill, because Deno then reports an exit by the signal, regardless of the exit code.
    child.stdout?.once("data", () => process.kill(child.pid ?? 0, "SIGTERM"))
    assert.deepStrictEqual(await endOf(child), { code: 0, stdout: "ready drained", stderr: "" })
  })

  it("exits like a shell when main.ts is killed", async () => {
    givenMain(`process.kill(process.pid, "SIGKILL")`)
    assert.strictEqual((await endOf(start([]))).code, 137)
  })

  it("uses the Node that npm installed when the running one is too old", async () => {
    givenMain(`process.stdout.write(process.env["BROUGHT"] + process.argv[2])`)
    givenInstalledNode()
    assert.deepStrictEqual(await endOf(start(["--help"], asNode20)), { code: 0, stdout: "along--help", stderr: "" })
  })

  it("prints what to do when no suitable Node is installed", async () => {
    givenMain(`process.stdout.write("ran")`)
    const { code, stderr, stdout } = await endOf(start([], asNode20))
    assert.deepStrictEqual({ code, stdout }, { code: 2, stdout: "" })
    assert.match(stderr, /needs Node 24 or newer; this is Node 20\.20\.2/u)
    assert.match(stderr, /npm ci/u)
  })
})
