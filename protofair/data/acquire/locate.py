"""From a source of the table to the address its bytes come from.

gdown and huggingface_hub know their hosts' ways and are asked for the address only. Their own downloads would not do
here: hf_hub_download (2.4) deletes a partial file when it fails; gdown (6.5) does not wait for a 429 or 503, and never
starts over where Range is ignored.
"""

import requests

from protofair.data.acquire.table import Drive, Hub, Source
from protofair.data.acquire.web import MirrorError, Patience, get, html_title, is_html

DRIVE = "https://drive.google.com/uc"


def locate(source: Source, session: requests.Session, *, patience: Patience) -> str:
    """The URL of a source's bytes; asked anew for every try, since Drive's are good for a while only."""
    if isinstance(source, Drive):
        return _drive(source.id, session, patience)
    if isinstance(source, Hub):
        from huggingface_hub import hf_hub_url

        return hf_hub_url(source.repo, source.path, repo_type="dataset", revision=source.revision)
    return str(source.url)


def _drive(identifier: str, session: requests.Session, patience: Patience) -> str:
    """Drive answers a large file with a page that asks to confirm, or with one that says its quota is used up."""
    from gdown.download import get_url_from_gdrive_confirmation
    from gdown.exceptions import FileURLRetrievalError

    url = f"{DRIVE}?id={identifier}&export=download"
    with get(session, url, patience=patience) as response:
        if not is_html(response):
            return url
        try:
            page = response.text
        except requests.RequestException as error:
            raise MirrorError(f"its page broke off ({error})") from None
    try:
        confirmed: str = get_url_from_gdrive_confirmation(page)
    except FileURLRetrievalError as error:
        raise MirrorError(f'a page of HTML in place of the file: "{html_title(page)}" ({error})') from None
    return confirmed
