# The program alone, with the versions of requirements-run.lock: docker build -t fabricgen .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" fabricgen build fabric.yaml -o out
FROM python:3.13-slim
COPY . /src
RUN pip install --no-cache-dir --require-hashes --requirement /src/requirements-run.lock \
    && pip install --no-cache-dir /src --no-deps \
    && rm -r /src
WORKDIR /work
USER nobody
ENTRYPOINT ["fabricgen"]
