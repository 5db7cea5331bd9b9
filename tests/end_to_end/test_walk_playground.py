"""The playground in Chromium: asked in each shape, streamed and whole, billed, and shown as a program."""

import asyncio
import sys

import pytest

from end_to_end.test_walk import made_key, sign_up, walking
from scripted_upstream import Send, sized

pytestmark = pytest.mark.browser

JSON = b"Content-Type: application/json\r\n"
USAGE = '"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}'
CHUNK = '{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[%s]%s}'
PIECES = [
    CHUNK % ('{"index":0,"delta":{"role":"assistant","content":"Hello <b>"}}', ""),
    CHUNK % ('{"index":0,"delta":{"content":"there"}}', ""),
    CHUNK % ('{"index":0,"delta":{},"finish_reason":"stop"}', ""),
    CHUNK % ("", f",{USAGE}"),
]
STREAM = [
    Send(
        sized(
            b"".join(b"data: %b\n\n" % each.encode() for each in [*PIECES, "[DONE]"]),
            headers=b"Content-Type: text/event-stream\r\n",
        )
    )
]
CALLING = (
    '{"id":"c1","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":'
    '"assistant","content":null,"tool_calls":[{"id":"t1","type":"function","function":{"name":'
    '"get_weather","arguments":"{\\"place\\":\\"Oslo\\"}"}}]},"finish_reason":"tool_calls"}],%s}'
)
TOOL = [Send(sized((CALLING % USAGE).encode(), headers=JSON))]
DONE = (
    '{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"m","output":%s,'
    '"usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}'
)
SAID = (
    '[{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":'
    '[{"type":"output_text","text":"Hello <b>there","annotations":[]}]}]'
)
CALLED = (
    '[{"type":"function_call","id":"fc_1","call_id":"t1","status":"completed",'
    '"name":"get_weather","arguments":"{\\"place\\":\\"Oslo\\"}"}]'
)
EVENTS = [
    (
        "response.output_text.delta",
        '"item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello <b>there"',
    ),
    ("response.completed", f'"response":{DONE % SAID}'),
]
OWN_STREAM = [
    Send(
        sized(
            "".join(
                f'event: {kind}\ndata: {{"type":"{kind}","sequence_number":{n},{rest}}}\n\n'
                for n, (kind, rest) in enumerate(EVENTS)
            ).encode(),
            headers=b"Content-Type: text/event-stream\r\n",
        )
    )
]
OWN_TOOL = [Send(sized((DONE % CALLED).encode(), headers=JSON))]
"""As the vendor's own responses are, which travel as they come."""
SHAPES = ("chat", "responses", "messages", "generate")


async def asked(page, message="Say hello."):
    """Send what is filled in, and wait until the page may send again."""
    await page.fill("#message", message)
    await page.get_by_role("button", name="Send").click()
    await page.locator("#stop:disabled").wait_for()


async def read_in_tokyo(page):
    """The page that is open, read elsewhere: times are of there, and in UTC beside it."""
    known = await page.context.storage_state()
    abroad = await page.context.browser.new_context(
        storage_state=known, timezone_id="Asia/Tokyo", locale="en-US"
    )
    there = await abroad.new_page()
    await there.goto(page.url)
    time = there.locator("main time[data-local]").first
    assert "GMT+9" in await time.inner_text()
    assert (await time.get_attribute("title")).endswith(" UTC")
    await abroad.close()


@pytest.mark.asyncio
async def test_a_model_is_asked_in_every_shape_and_billed(tmp_path):
    """From the model's page; streamed, then whole with a tool; nothing said is ever markup."""
    scripts = [
        each
        for shape in SHAPES
        for each in ([OWN_STREAM, OWN_TOOL] if shape == "responses" else [STREAM, TOOL])
    ]
    async with walking(tmp_path, scripts=scripts) as (page, gateway, box):
        await sign_up(page, box)
        key = await made_key(page)
        await page.goto("/account/models/m")
        await page.get_by_role("link", name="Try it in the playground").click()
        assert "m" == await page.input_value("#model")
        for shape in SHAPES:
            await page.get_by_role("button", name="Start over").click()
            await page.select_option("#shape", shape)
            await page.check("#stream")
            await page.uncheck("#tool")
            await asked(page)
            assert ["Say hello.", "Hello <b>there"] == await page.locator(
                "#said p"
            ).all_inner_texts()
            await page.uncheck("#stream")
            await page.check("#tool")
            await asked(page, "And in Oslo?")
            told = await page.locator("#said .call").inner_text()
            assert "get_weather" in told, shape
            assert "Oslo" in told, shape
            wire = await page.locator("#wire").text_content()
            assert "HTTP 200" in wire
            assert "trivium-channel: main" in wire
        assert key not in await page.content()
        await page.locator("#bill:visible").wait_for()
        assert "9 · out 2" in await page.locator("#bill").inner_text()
        await page.locator("#bill a").click()
        await page.get_by_role("heading", name="What came of it").wait_for()
        await read_in_tokyo(page)
        assert [] == page.problems
        assert 0 == gateway.log.count("page_failed")


@pytest.mark.asyncio
async def test_what_fails_is_told_and_what_is_shown_as_a_program_runs(tmp_path):
    """The gateway's own words; a request of one's own; the Python of the page against the gateway."""
    async with walking(tmp_path, scripts=[STREAM, STREAM]) as (page, gateway, box):
        await sign_up(page, box)
        key = await made_key(page)
        await page.goto("/account/playground")
        await page.fill("#model", "none")
        await asked(page)
        assert "none" in await page.locator("#said .failed").inner_text()
        await page.get_by_role("button", name="Start over").click()
        await page.fill("#model", "m")
        await page.locator("summary", has_text="The request as it is sent").click()
        await page.fill("#body", '{"model": "m", ')
        await page.get_by_role("button", name="Send").click()
        assert "This is not JSON" in await page.locator("#said .failed").inner_text()
        await page.fill("#system", 'Be brief, don\'t "sing".')
        await asked(page)
        program = await page.locator("#as-python").text_content()
        curl = await page.locator("#as-curl").text_content()
        assert "don'\\''t" in curl
        program = program.replace("http://127.0.0.1:0/", f"{gateway.origins[0]}/")
        ran = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, env={"KEY": key}, stdout=asyncio.subprocess.PIPE
        )
        printed, _ = await asyncio.wait_for(ran.communicate(), 60)
        assert b"Hello <b>" in printed
        problems = [each for each in page.problems if "404" not in each]
        assert [] == problems
        assert 1 == gateway.log.count("trivium is listening")
