"""The official Python client of the Model Context Protocol, for the tests: it reads steps from standard input,
runs them, and prints the responses as JSON. Usage: python3 mcp_client.py <folder of the package>"""

import asyncio
import json
import sys

sys.path.insert(0, sys.argv[1])

import httpx2  # noqa: E402
from mcp import Client, StdioServerParameters  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402


def shown(value):
    if isinstance(value, list):
        return [shown(one) for one in value]
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


def told(error):
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return {"error": str(error) or type(error).__name__, "code": getattr(error, "code", None)}


async def call(client, step):
    heard = []

    async def hear(progress, total, message):
        heard.append({"progress": progress, "total": total, "message": message})

    result = await client.call_tool(
        step["name"], step.get("arguments", {}), progress_callback=hear if step.get("progress") else None
    )
    return {**shown(result), "progress": heard}


async def follow(client, step):
    match step["do"]:
        case "tools":
            return shown((await client.list_tools()).tools)
        case "resources":
            return shown((await client.list_resources()).resources)
        case "templates":
            return shown((await client.list_resource_templates()).resource_templates)
        case "prompts":
            return shown((await client.list_prompts()).prompts)
        case "info":
            return {"server": shown(client.server_info), "version": client.protocol_version}
        case "read":
            return shown((await client.read_resource(step["uri"])).contents)
        case "prompt":
            return shown((await client.get_prompt(step["name"], step["arguments"])).messages)
        case "call":
            return await call(client, step)


async def walk(client, plan, said):
    async with client:
        said["connected"] = True
        for step in plan["steps"]:
            try:
                said["steps"].append({"ok": await follow(client, step)})
            except Exception as error:
                said["steps"].append(told(error))


async def main():
    plan = json.load(sys.stdin)
    said = {"connected": False, "steps": []}
    try:
        if "url" in plan:
            async with httpx2.AsyncClient(headers=plan.get("headers"), timeout=120, trust_env=False) as http:
                await walk(Client(streamable_http_client(plan["url"], http_client=http)), plan, said)
        else:
            server = StdioServerParameters(command=plan["command"], args=plan["args"], env=plan["env"])
            await walk(Client(server), plan, said)
    except BaseException as error:
        said.update(told(error))
    json.dump(said, sys.stdout)


asyncio.run(main())
