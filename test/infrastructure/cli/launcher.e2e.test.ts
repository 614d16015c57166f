import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { version } from "../../../infrastructure/runtime/version.ts"
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

/** Fails the process when it loads a module whose address matches. */
const refuseModules = (address: RegExp) => {
  const hook = `import { registerHooks } from "node:module"
    registerHooks({ load(url, context, next) {
      if (${address}.test(url)) throw new Error("refused " + url)
      return next(url, context)
    } })`
  return ["--import", `data:text/javascript,${encodeURIComponent(hook)}`]
}

describe("the start of a command", () => {
  const launch = (args: ReadonlyArray<string>, refused: RegExp, env: Readonly<Record<string, string>> = {}) =>
    endOf(spawn(node, [...refuseModules(refused), launcher, ...args], { env: { ...process.env, ...env } }))

  it("prints the version without the rest of the program", async () => {
    for (const flag of ["--version", "-v"]) {
      const { code, stderr, stdout } = await launch([flag], /\/node_modules\/|\/cli\/[^/]+\.ts$|\/stores\//u)
      assert.deepStrictEqual({ code, stdout, stderr }, { code: 0, stdout: `sliptrail ${version}\n`, stderr: "" })
    }
  })

  it("loads no other command, and nothing of the HTTP API", async () => {
    const { code, stderr, stdout } = await launch(
      ["trail", "show", "--help"],
      /infrastructure\/(?:http|console|banks|pictures|doctor)\/|cli\/(?:serve|service|backup)\.ts$|dist\/http\/index/u
    )
    assert.deepStrictEqual({ code, stderr }, { code: 0, stderr: "" })
    assert.include(stdout, "sliptrail trail show")
  })

  it("loads no stores when it calls a service, and no client when it opens the data folder", async () => {
    const stores = /infrastructure\/(?:stores|threads)\/|runtime\/(?:stores|engines|data-folder)|\/cli\/store-layers/u
    const remote = await launch(["service", "list", "--url", "http://127.0.0.1:2"], stores, {
      SLIPTRAIL_TOKEN: "token"
    })
    assert.deepStrictEqual([remote.code, remote.stdout], [2, ""])
    assert.include(remote.stderr, "http://127.0.0.1:2 cannot be reached, the connection was refused")
    const client = /infrastructure\/http\/|\/cli\/(?:remote-client|connection)\.ts$/u
    const local = await launch(["service", "list"], client, { DATA_DIR: "/nowhere" })
    assert.deepStrictEqual([local.code, local.stdout], [2, ""])
    assert.include(local.stderr, "there is no data in /nowhere")
  })

  it("fails in these tests when it loads a refused module", async () => {
    const { code, stderr } = await launch(["trail", "--help"], /cli\/trail\.ts$/u)
    assert.strictEqual(code, 2)
    assert.include(stderr, "refused file:")
  })
})

describe("sliptrail.mjs", () => {
  let home = ""
  const children: Array<ChildProcess> = []

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), "launcher-"))
    mkdirSync(join(home, "infrastructure/cli"), { recursive: true })
    writeFileSync(join(home, "package.json"), `{ "type": "module" }`)
    for (const name of ["sliptrail.mjs", "service-options.json"]) {
      copyFileSync(join(dirname(launcher), name), join(home, "infrastructure/cli", name))
    }
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
    const child = spawn(node, [...nodeArgs, join(home, "infrastructure/cli/sliptrail.mjs"), ...args], {
      cwd: home
    })
    children.push(child)
    return child
  }

  it("passes arguments and standard input to main.ts, and returns its exit code", async () => {
    givenMain(`const text: string = JSON.stringify(process.argv.slice(2))
      process.stdin.on("data", (chunk) => process.stdout.write(text + chunk)).on("end", () => process.exit(7))`)
    for (const command of ["serve", "trail"]) {
      const child = start([command, "--at", "a b", "--json"])
      child.stdin?.end("!")
      const stdout = `["${command}","--at","a b","--json"]!`
      assert.deepStrictEqual(await endOf(child), { code: 7, stdout, stderr: "" })
    }
  })

  // npx keeps a link to the file of a clone: after an update in place it would find no other one.
  it("has the path that it always had, in package.json and in its lockfile", () => {
    const root = new URL("../../../", import.meta.url)
    const path = "infrastructure/cli/sliptrail.mjs"
    const bin = { sliptrail: path }
    const read = (file: string): unknown => JSON.parse(readFileSync(new URL(file, root), "utf8"))
    assert.strictEqual(launcher, fileURLToPath(new URL(path, root)))
    assert.deepInclude(read("package.json"), { bin })
    assert.containSubset(read("package-lock.json"), { packages: { "": { bin } } })
  })

  it("limits the memory of the service, keeps the options of Node, and needs no second process", async () => {
    givenMain(`const { MALLOC_ARENA_MAX } = process.env
      process.stdout.write(JSON.stringify([process.pid, process.execArgv, MALLOC_ARENA_MAX ?? null]))`)
    const startAndRead = async (command: string) => {
      const child = start([command], ["--no-opt"])
      const [pid, ...limits] = JSON.parse((await endOf(child)).stdout)
      return { isSameProcess: pid === child.pid, limits }
    }
    assert.deepStrictEqual(await startAndRead("serve"), {
      isSameProcess: true,
      limits: [[
        "--no-opt",
        "--heap-growing-percent=120",
        "--max-semi-space-size=16",
        "--no-allocation-site-pretenuring",
        "--v8-pool-size=1"
      ], "1"]
    })
    assert.deepStrictEqual(await startAndRead("trail"), { isSameProcess: true, limits: [["--no-opt"], null] })
  })

  it("forwards SIGTERM and waits for the end", async () => {
    givenMain(`const timer = setInterval(() => {}, 1000)
      process.on("SIGTERM", () => { clearInterval(timer); process.stdout.write("drained") })
      process.stdout.write("ready ")`)
    const child = start(["serve"])
    // Does not use child.kill, because Deno then reports an exit by the signal, regardless of the exit code.
    child.stdout?.once("data", () => process.kill(child.pid ?? 0, "SIGTERM"))
    assert.deepStrictEqual(await endOf(child), { code: 0, stdout: "ready drained", stderr: "" })
  })

  it("exits like a shell when main.ts is killed on a Node of its own", async () => {
    givenMain(`process.kill(process.pid, "SIGKILL")`)
    givenInstalledNode()
    assert.strictEqual((await endOf(start(["serve"], asNode20))).code, 137)
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
